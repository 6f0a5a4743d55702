theme();
folds();
document.querySelectorAll(".table").forEach(table);
const figures = Array.from(document.querySelectorAll("figure.plot")).map(figure);
