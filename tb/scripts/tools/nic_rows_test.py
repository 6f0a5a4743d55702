#!/usr/bin/python3 -B
"""The table of rows of published NIC anomalies: what is declared is what the questions are, and what the page shows."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/nic_rows"


def load():
    loader = importlib.machinery.SourceFileLoader("nic_rows", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("nic_rows", loader))
    loader.exec_module(module)
    return module


class NicRows(unittest.TestCase):
    tool = load()

    def setUp(self):
        self.rows = self.tool.rows()

    def change(self, row, **values):
        self.rows[row - 1].update(values)
        return self.tool.faults(self.rows)

    def test_each_row_is_what_its_question_is(self):
        self.assertEqual(self.tool.faults(self.rows), [])

    def test_the_page_shows_it(self):
        self.assertEqual(self.tool.on_page(), self.tool.table(self.rows))

    def test_what_is_calibrated_is_not_predicted(self):
        self.assertIn("row 3: predicted, but one of its observations sets a value", self.change(3, state="predicted")[0])
        self.assertIn("row 1: calibrated, but none of its observations sets a value", self.change(1, state="calibrated")[0])

    def test_what_is_missed_is_not_reproduced(self):
        self.assertIn("row 45: predicted, but the test knows to miss random.rate of it", self.change(45, state="predicted")[0])
        self.assertIn("row 1: not reproduced, but the test knows to miss none of it", self.change(1, state="not reproduced")[0])

    def test_what_is_not_there_is_said(self):
        self.assertIn("row 1: q1_message_rate has no observation 'x'", self.change(1, ids="x")[0])
        self.assertIn("row 22: expected why", " ".join(self.change(22, why="")))
        del self.rows[4]
        self.assertIn("expected rows 1 to 59", self.tool.faults(self.rows)[0])


if __name__ == "__main__":
    unittest.main()
