# Draws the data of trials and computes intervals from them, for a simulation study in R.
#
#   Rscript trials.R
#
# A request is a line of words with tabs between them; arrays follow as 8-byte numbers. The answer
# is a line: "ok" with tabs and name=value, or "error" with a text, or "ended" with one where this process ends.

input <- file("stdin", "rb")
functions <- list()
drawn <- NULL
files_read <- character()

# What functions print goes to standard error.
sink(stderr())

say <- function(...) {
  sink()
  cat(gsub("[\r\n]+", " ", paste(..., sep = "\t")), "\n", sep = "")
  flush(stdout())
  sink(stderr())
}

load_function <- function(path, name) {
  scope <- new.env(parent = globalenv())
  source(path, local = scope, chdir = TRUE)
  if (!exists(name, scope, mode = "function", inherits = FALSE))
    stop(path, " has no function ", name)
  functions[[paste(path, name)]] <<- get(name, scope, mode = "function")
  "ok"
}

level <- function(kind, text)
  switch(kind, number = as.numeric(text), truth = text == "True", substring(text, 2))

read_items <- function(count) {
  items <- list()
  for (i in seq_len(count)) {
    words <- strsplit(readLines(input, 1), "\t", fixed = TRUE)[[1]]
    shape <- as.integer(words[-1])
    values <- readBin(input, "double", prod(shape), size = 8, endian = "little")
    # The first axis varies slowest in NumPy, and fastest in R.
    if (length(shape) > 1) values <- aperm(array(values, rev(shape)))
    if (nzchar(words[1])) items[[words[1]]] <- values else items[[i]] <- values
  }
  items
}

answer <- function(found) {
  numbers <- unlist(found)
  if (is.logical(numbers) && all(is.na(numbers))) numbers <- as.numeric(numbers)
  if (!is.numeric(numbers) && !is.logical(numbers))
    stop("expected numbers, found ", class(numbers)[1])
  names <- if (is.null(names(numbers))) rep("", length(numbers)) else names(numbers)
  do.call(paste, c("ok", as.list(sprintf("%s=%.17g", names, as.numeric(numbers))), sep = "\t"))
}

# Notes the files that `source` reads from now on, each by its real path.
follow <- function() {
  note <- quote(
    if (is.character(file) && file.exists(file))
      assign("files_read", union(files_read, normalizePath(file)), envir = globalenv())
  )
  trace("source", note, print = FALSE, where = baseenv())
  "ok"
}

# The data of a request are read in any case, so that the next request begins where they end.
run <- function(words) switch(words[1],
  follow = follow(),
  files = paste(c("ok", files_read), collapse = "\t"),
  load = load_function(words[2], words[3]),
  draw = {
    set.seed(as.integer(words[4]))
    parts <- matrix(words[-(1:4)], nrow = 3)
    factors <- Map(level, parts[2, ], parts[3, ])
    names(factors) <- parts[1, ]
    drawn <<- do.call(functions[[paste(words[2], words[3])]], factors)
    "ok"
  },
  call = {
    data <- if (words[6] == "own") drawn else read_items(as.integer(words[6]))
    if (length(data) == 1 && identical(names(data), "data")) data <- data$data
    set.seed(as.integer(words[4]))
    answer(functions[[paste(words[2], words[3])]](data, as.numeric(words[5])))
  }
)

say("ok")
while (length(line <- readLines(input, 1))) {
  words <- strsplit(line, "\t", fixed = TRUE)[[1]]
  # Before `say`, which lifts the sink of what functions print.
  found <- tryCatch(
    suppressMessages(suppressWarnings(run(words))),
    error = function(e) paste0("error\t", conditionMessage(e))
  )
  if (!tryCatch(isOpen(input), error = function(e) FALSE)) {
    say("ended\tclosed the connections of its process")
    quit("no")
  }
  say(found)
}
