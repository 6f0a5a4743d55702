"""The page: views into HTML, with style, scripts and data inside, and nothing fetched from anywhere."""
import base64
import hashlib
import json
import pathlib

import jinja2
import markupsafe

from lib.common.files import put_whole

from .inputs import BadInput

HERE = pathlib.Path(__file__).resolve().parent
NODE = pathlib.Path("/usr/share/nodejs")  # where Debian's node-d3 puts its modules
# Only what js/ uses, each after what it needs.
D3 = ("array", "path", "shape", "color", "format", "interpolate", "collection", "time", "time-format", "scale", "selection",
      "axis", "quadtree")
SCRIPTS = ("theme", "table", "find", "symbols", "figure", "axes", "xy", "bars", "heat", "network", "parallel", "main")
NOTICE = """This page contains modules of D3 (d3js.org), used under the BSD 3-Clause License. Copyright 2010-2022 Mike Bostock. \
All rights reserved. Redistribution and use in source and binary forms, with or without modification, are permitted provided \
that the following conditions are met: (1) Redistributions of source code must retain the above copyright notice, this list \
of conditions and the following disclaimer. (2) Redistributions in binary form must reproduce the above copyright notice, \
this list of conditions and the following disclaimer in the documentation and/or other materials provided with the \
distribution. (3) Neither the name of the author nor the names of contributors may be used to endorse or promote products \
derived from this software without specific prior written permission. THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND \
CONTRIBUTORS \u201cAS IS\u201d AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF \
MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE \
LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, \
PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON \
ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY \
OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE."""


def as_json(value):
    """For a <script> of data: no '<', so nothing in it can end it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return markupsafe.Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def script():
    parts = []
    for name in D3:
        path = NODE / f"d3-{name}/dist/d3-{name}.min.js"
        if not path.is_file():
            raise BadInput(f"{path}: no such file; expected Debian's package node-d3: scripts/setup")
        parts.append(path.read_text(encoding="utf-8").strip())
    parts.append("(function () {\n\"use strict\";")
    parts += [(HERE / f"js/{name}.js").read_text(encoding="utf-8").strip() for name in SCRIPTS]
    parts.append("})();")
    text = "\n".join(parts) + "\n"
    if "</script" in text.lower():
        raise BadInput("a script contains '</script'")
    return text


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def render(title, views, comparison, shared, back=None):
    """`back`: where the page is led to from, and what that is."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters["as_json"] = as_json
    code = script()
    style = (HERE / "page.css").read_text(encoding="utf-8")
    policy = (f"default-src 'none'; style-src '{digest(style)}'; script-src '{digest(code)}'; img-src data:; "
              "base-uri 'none'; form-action 'none'")
    return environment.get_template("page.html").render(
        title=title, views=views, comparison=comparison, shared=shared, policy=policy, notice=NOTICE, back=back,
        script=markupsafe.Markup(code), style=markupsafe.Markup(style))


def write(path, text):
    """Whole or not at all."""
    path = pathlib.Path(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "is a folder")
        put_whole(path, lambda file: file.write(text.encode("utf-8", errors="replace")))
    except OSError as error:
        raise BadInput(f"-o {path}: cannot be written: {error.strerror}") from None
