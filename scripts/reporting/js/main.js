theme();
folds();
document.querySelectorAll(".table").forEach(table);
document.querySelectorAll("figure.plot").forEach(figure);
