-- Which rows may hold a text, without reading them: an index of the runs of
-- three letters in the folded titles and bodies. It only narrows; what a row
-- holds is asked of the row. Each engine has its own, see dialect.go.

{{grams}}
{{grams of issues}}
{{grams of pulls}}
