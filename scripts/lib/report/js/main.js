theme();
folds();
find(Array.from(document.querySelectorAll(".table")).map(table));
const figures = Array.from(document.querySelectorAll("figure.plot")).map(figure);
