"""What scripts/report is made of: `inputs` reads results, a `*_view` says what is on the page of each
kind, `blocks` is what a page consists of, `page` writes it; `page.html`, `page.css` and `js/` are the page."""
