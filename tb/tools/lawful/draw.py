"""Random choices of one stream: the same name gives the same choices on any machine."""
import math
import random


class Draw:
    def __init__(self, name):
        self._random = random.Random(name)

    def chance(self, probability):
        return self._random.random() < probability

    def one(self, *options):
        return options[self.whole(0, len(options) - 1)]

    def whole(self, least, most):
        """Uniform, both ends included."""
        return least + int(self._random.random() * (most - least + 1))

    def scale(self, least, most):
        """A whole number whose logarithm is uniform: small ones as often as large ones."""
        return min(most, max(least, round(math.exp(self._random.uniform(math.log(least), math.log(most))))))

    def share(self, least, most):
        """A number of three digits."""
        return round(self._random.uniform(least, most), 3)

    def ns(self, least, most):
        return f"{self.scale(max(1, least), most)} ns" if least > 0 or self.chance(0.9) else "0 ns"

    def bytes(self, least, most):
        return f"{self.scale(least, most)} B"
