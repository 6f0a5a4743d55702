"""How far a study is: a line on a terminal, one now and then into a file."""
import sys
import time


class Progress:
    def __init__(self, enabled=True, stream=sys.stderr):
        self.stream, self.enabled = stream, enabled
        self.terminal = stream.isatty()
        self.begin = time.monotonic()
        self.last = None
        self.first_done = None

    def show(self, done, of, running, more="", final=False):
        if not self.enabled:
            return
        now = time.monotonic()
        if self.first_done is None:
            self.first_done = done  # what was there already says nothing of the time left
        due = self.last is None or now - self.last > (0.2 if self.terminal else 30)
        if not due and not final:
            return
        self.last = now
        made, seconds = done - self.first_done, now - self.begin
        left = f", {duration(seconds / made * (of - done))} left" if made > 0 and done < of else ""
        line = f"{done} of {of} points, {running} running{more}, {duration(seconds)}{left}"
        if self.terminal:
            print(f"\r{line}\033[K", end="\n" if final else "", file=self.stream, flush=True)
        else:
            print(line, file=self.stream, flush=True)


def duration(seconds):
    seconds = int(seconds)
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
