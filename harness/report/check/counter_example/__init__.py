"""The picture of a counter-example, laid out; the template ``counter_example.html`` draws it."""
