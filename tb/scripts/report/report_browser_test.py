#!/usr/bin/python3
"""Pages of scripts/report in a browser: they load without a complaint or a request, sort, show values, turn dark, fit a
phone and print. Exit code 77 where there is no Chromium."""
import base64
import json
import pathlib
import re
import shutil
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import report_inputs as inputs

if not shutil.which("chromium") or not shutil.which("chromedriver"):
    print("no chromium, or no chromedriver: scripts/setup")
    sys.exit(77)

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
            "--window-size=1280,900"]


class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="report"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        results = inputs.results(cls.folder)
        inputs.study(cls.folder / "study", 300)
        inputs.study(cls.folder / "big", 5000)
        inputs.hostile_study(cls.folder / "hostile_study")
        results.update(study=cls.folder / "study", hostile_study=cls.folder / "hostile_study")
        cls.make("all.html", *results.values())
        cls.make("study.html", results["study"])
        cls.make("replay.html", results["replay"])
        cls.make("big.html", cls.folder / "big")
        options = webdriver.ChromeOptions()
        for argument in [*CHROMIUM, f"--user-data-dir={cls.folder / 'profile'}"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(service=webdriver.chrome.service.Service("/usr/bin/chromedriver"), options=options)
        cls.addClassCleanup(cls.browser.quit)

    @classmethod
    def make(cls, name, *results):
        ended = inputs.report([*results, "-o", cls.folder / name])
        if ended.returncode:
            raise AssertionError(ended.stderr)

    def setUp(self):
        self.screen(1280, False)
        self.scheme("light")

    def screen(self, width, mobile):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=mobile)

    def scheme(self, name):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def command(self, name, **arguments):
        return self.browser.execute_cdp_cmd(name, arguments)

    def load(self, name):
        self.browser.get_log("performance")
        self.browser.get((self.folder / name).as_uri())

    def js(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def quiet(self):
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_loads_without_a_complaint_or_a_request(self):
        self.load("all.html")
        self.assertEqual(self.js("return [window.hurt, document.querySelectorAll('.canvas svg').length > 10]"), [None, True])
        drawn = self.js("return Array.from(document.querySelectorAll('figure.plot')).filter(f => !f.querySelector("
                        "'svg path, svg rect')).map(f => f.textContent.slice(0, 80))")
        self.assertEqual(drawn, [])
        self.quiet()
        asked = [m["params"]["request"]["url"] for m in (json.loads(e["message"])["message"] for e in
                                                         self.browser.get_log("performance"))
                 if m["method"] == "Network.requestWillBeSent"]
        self.assertEqual([u for u in asked if u not in ("data:,", (self.folder / "all.html").as_uri())], [])
        shown = self.js("return Array.from(document.querySelectorAll('main, .canvas svg')).map(e => e.tagName === 'svg' ? e.outerHTML"
                        " : e.innerText).join()")
        self.assertNotRegex(shown, r"NaN|undefined|Infinity")

    def test_a_click_sorts_and_a_word_filters(self):
        self.load("study.html")
        self.find("#fold").click()
        self.js("window.every = Array.from(document.querySelectorAll('.table')).find(t => t.querySelectorAll('tbody tr').length === 200)")
        column = "return Array.from(every.querySelectorAll('tbody tr')).map(r => r.cells[arguments[0]].dataset.v ?? r.cells[arguments[0]].textContent)"
        heads = self.js("return Array.from(every.querySelectorAll('th')).map(h => h.textContent)")
        goodput = heads.index("goodput, Gbps")
        head = self.js("return every.querySelectorAll('th')[arguments[0]]", goodput)
        head.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
        self.assertEqual(head.get_attribute("aria-sort"), "descending")
        study = json.loads((self.folder / "study/study.json").read_text(encoding="utf-8"))
        wanted = sorted((p["values"]["goodput"] for p in study["points"] if p["values"]["goodput"] is not None), reverse=True)
        shown = [p for p in self.js(column, 0)]
        by_number = {str(p["number"]): p["values"]["goodput"] for p in study["points"]}
        self.assertEqual([by_number[n] for n in shown], wanted[:200])
        head.find_element(By.TAG_NAME, "button").click()
        self.assertEqual(head.get_attribute("aria-sort"), "ascending")
        self.assertEqual([by_number[n] for n in self.js(column, 0)], wanted[::-1][:200])
        self.js("const f = every.querySelector('.filter'); f.value = 'failed'; f.dispatchEvent(new Event('input'))")
        self.assertEqual(self.js("return every.querySelector('.shown').textContent"), "1 of 300 rows")
        # The saved file has every row, sorted as shown.
        self.js("URL.createObjectURL = (b) => { window.saved = b; return '#'; }; HTMLAnchorElement.prototype.click = () => {};")
        self.js("every.querySelector('.save').click()")
        lines = self.browser.execute_async_script("window.saved.text().then(arguments[0])").splitlines()
        self.assertEqual(len(lines), 301)
        self.assertEqual(lines[0].split(",")[0], "point")
        self.assertEqual(by_number[lines[1].split(",")[0]], wanted[-1])
        self.quiet()

    def test_words_find_a_result(self):
        self.load("all.html")
        def found(words):
            self.js("const f = document.getElementById('find'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))", words)
            return self.js("return Array.from(document.querySelectorAll('#found b')).map(b => b.textContent)")
        self.assertIn("senders.timeouts", found("timeout sender")[:3])
        # By what it means, however its name is written: "the line was idle: PFC held it".
        self.assertIn("senders.idle_paused", found("idle held"))
        self.assertEqual(found("no such words anywhere"), [])
        self.assertEqual(self.js("return document.getElementById('found').textContent"), "No row has all of these words")
        # A click shows the row, out of what hid it.
        self.assertEqual(found("senders.idle_paused")[0], "senders.idle_paused")
        self.js("document.querySelector('#found button').click()")
        row = self.js("const r = document.querySelector('tr.hit'), b = r.getBoundingClientRect();"
                      "return [r.cells[0].textContent, b.top >= 0 && b.bottom <= innerHeight]")
        self.assertEqual([row[0].replace("\u200b", ""), row[1]], ["senders.idle_paused", True])
        self.assertEqual(found(""), [])
        self.quiet()

    def test_a_point_leads_to_the_page_of_its_run(self):
        explored = inputs.results(self.folder)["explored"]
        self.assertEqual(inputs.report([explored, "--pages", "all", "-o", self.folder / "linked.html"]).returncode, 0)
        self.load("linked.html")
        self.js("const svg = document.querySelector('figure.plot .canvas svg'); svg.focus(); for (const key of ['ArrowRight', 'Enter'])"
                "svg.dispatchEvent(new KeyboardEvent('keydown', { key }))")
        for _ in range(50):
            if "linked.points/" in self.browser.current_url:
                break
            time.sleep(0.1)
        self.assertRegex(self.browser.current_url, r"linked\.points/\d+\.html$")
        self.js("document.querySelector('header a').click()")
        for _ in range(50):
            if self.browser.current_url.endswith("linked.html"):
                break
            time.sleep(0.1)
        self.assertTrue(self.browser.current_url.endswith("linked.html"))

    def test_the_pointer_and_the_keys_show_values(self):
        self.load("study.html")
        study = json.loads((self.folder / "study/study.json").read_text(encoding="utf-8"))
        chosen = next(p for p in study["points"] if p["number"] == study["chosen"])
        at = self.js("const s = document.querySelector('.dots.chosen:not(.legend *)').ownerSVGElement; s.scrollIntoView({block: 'center'});"
                     "const b = s.querySelector('.dots.chosen').getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]")
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
        tip = self.find("figure.plot .tip").text
        self.assertIn(f"point {chosen['number']}\n", tip)
        self.assertIn(f"engine {chosen['parameters']['engine']}", tip)
        self.assertRegex(tip, rf"goodput {float(f'''{chosen['values']['goodput']:.4g}'''):g}\s+Gbps")
        svg = self.find("figure.plot .canvas svg")
        svg.send_keys(Keys.ESCAPE, Keys.ARROW_RIGHT)
        first = self.find("figure.plot .readout").get_attribute("textContent")
        svg.send_keys(Keys.ARROW_RIGHT)
        second = self.find("figure.plot .readout").get_attribute("textContent")
        self.assertIn("point ", first)
        self.assertNotEqual(first, second)
        self.quiet()

    def test_a_legend_hides_and_an_axis_is_chosen(self):
        self.load("study.html")
        path = "return document.querySelector('figure.plot').querySelector('.canvas .dots.dominated') !== null"
        self.assertTrue(self.js(path))
        button = next(b for b in self.find("figure.plot").find_elements(By.CSS_SELECTOR, ".legend button") if "dominated" in b.text)
        button.click()
        self.assertEqual((button.get_attribute("aria-pressed"), self.js(path)), ("false", False))
        title = "return document.querySelector('figure.plot .canvas').textContent.includes('p99, us')"
        self.assertFalse(self.js(title))
        self.js("const s = document.querySelector('figure.plot select'); s.value = 2; s.dispatchEvent(new Event('change'))")
        self.assertTrue(self.js(title))
        self.quiet()

    def test_dark_and_light(self):
        self.load("all.html")
        back = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]"
        self.assertGreater(self.js(back), 200)
        self.scheme("dark")
        self.assertLess(self.js(back), 50)
        button = self.find("#theme")
        button.click()
        self.assertEqual((button.text, self.js(back) > 200), ("Theme: light", True))
        button.click()
        self.scheme("light")
        self.assertEqual((button.text, self.js(back) < 50), ("Theme: dark", True))

    def test_text_has_contrast(self):
        """WCAG AA: 4.5 for text, 3 for lines and marks."""
        text = (inputs.ROOT / "scripts/lib/report/page.css").read_text(encoding="utf-8")
        for block in re.findall(r":root[^{]*\{([^}]*--page[^}]*)\}", text):
            colours = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]+)", block))
            pairs = [("text", "page"), ("text", "box"), ("text", "hover"), ("text", "differs"), ("text", "chosen"), ("soft", "page"),
                     ("soft", "box"), ("accent", "box"), ("good", "good-back"), ("warn", "warn-back"), ("bad", "bad-back"),
                     ("good", "box"), ("bad", "box"), *((f"c{i}", "box") for i in range(6))]
            for front, back in pairs:
                least = 3 if re.fullmatch(r"c\d", front) else 4.5
                self.assertGreaterEqual(contrast(colours[front], colours[back]), least, (front, back, colours[front]))

    def test_a_phone_scrolls_in_tables_only(self):
        self.screen(390, True)
        for name in ("all.html", "study.html"):
            self.load(name)
            self.find("#fold").click()
            time.sleep(0.3)
            self.assertEqual(self.js("return [document.documentElement.scrollWidth, innerWidth]"), [390, 390])
            out = self.js("return Array.from(document.querySelectorAll('.canvas text')).filter(t => { const b = t.getBoundingClientRect();"
                          "return b.width && (b.left < -1 || b.right > 391); }).map(t => t.textContent)")
            self.assertEqual(out, [])
        self.quiet()

    def test_nothing_is_cut_off_on_a_desk(self):
        """Texts of a figure are within it (titles of parallel coordinates are wider than its margins), and heads of columns
        break, so that the ports of a replay have room."""
        for name in ("all.html", "study.html"):
            self.load(name)
            self.find("#fold").click()
            time.sleep(0.3)
            out = self.js("return Array.from(document.querySelectorAll('.canvas svg')).flatMap(s => { const r = s.getBoundingClientRect();"
                          "return Array.from(s.querySelectorAll('text')).filter(t => { const b = t.getBoundingClientRect();"
                          "return b.width && (b.left < r.left - 1 || b.right > r.right + 1); }).map(t => t.textContent); })")
            self.assertEqual(out, [])
        self.screen(1024, False)
        self.load("replay.html")
        self.find("#fold").click()
        tables = self.js("return Array.from(document.querySelectorAll('.scroll')).map(s => [s.textContent.slice(0, 60), s.scrollWidth - s.clientWidth])")
        self.assertTrue(any("port" in text for text, _ in tables))
        self.assertEqual([t for t in tables if t[1] > 0], [])
        self.quiet()

    def test_prints_with_everything_open(self):
        self.load("study.html")
        before = self.js("return document.querySelectorAll('details:not([open])').length")
        self.assertGreater(before, 0)
        self.js("addEventListener('beforeprint', () => { window.closed_in_print = document.querySelectorAll('details:not([open])').length; })")
        pdf = base64.b64decode(self.command("Page.printToPDF", printBackground=True)["data"])
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.assertGreaterEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 3)
        self.assertEqual(self.js("return window.closed_in_print"), 0)
        self.assertEqual(self.js("return document.querySelectorAll('details:not([open])').length"), before)
        self.quiet()

    def test_five_thousand_points_react_at_once(self):
        self.load("big.html")
        took = self.js("const b = performance.now(); document.querySelector('figure.plot .legend button').click();"
                       "const svg = document.querySelector('figure.plot .canvas svg'); const r = svg.getBoundingClientRect();"
                       "for (let i = 0; i < 20; i++) svg.dispatchEvent(new PointerEvent('pointermove', {clientX: r.x + 60 + 40 * i, clientY: r.y + 120}));"
                       "return performance.now() - b")
        self.assertLess(took, 2000)  # 50 ms on an idle machine
        self.assertLess(self.js("return document.querySelectorAll('*').length"), 20000)
        self.quiet()


def contrast(a, b):
    def light(colour):
        colour = colour.lstrip("#")
        if len(colour) == 3:
            colour = "".join(c * 2 for c in colour)
        parts = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
        parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


if __name__ == "__main__":
    unittest.main()
