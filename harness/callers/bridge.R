# Answers lines of data with the limits that a function of R computes from them.
#
#   Rscript bridge.R TARGET COLUMNS LIMITS [NAME=EXPRESSION ...]
#
# TARGET is package::function, package:::function or file.R::function. COLUMNS are the names of the
# data in a line, joined by commas; alpha follows them. LIMITS is an expression in `value`, what the
# function returns, or empty. NAME=EXPRESSION are arguments of the function, expressions in the
# columns and alpha. The first line that is written is "harness-r", followed by a fault if there is
# one; then each line is answered by "lower upper", or by "error: " and a text.

GREETING <- "harness-r"

# What the function prints goes to standard error.
sink(stderr())

say <- function(text) {
  sink()
  cat(gsub("[[:space:]]+", " ", text), "\n", sep = "")
  flush(stdout())
  sink(stderr())
}

refuse <- function(...) {
  say(paste(GREETING, paste0(...)))
  quit("no", 0)
}

words <- commandArgs(trailingOnly = TRUE)
target <- words[1]
columns <- strsplit(words[2], ",", fixed = TRUE)[[1]]
given <- words[-(1:3)]

# The function ------------------------------------------------------------------------------------

place <- sub(":::?[^:]*$", "", target)
name <- sub("^.*:", "", target)

load_function <- function() {
  if (grepl("\\.[rR]$", place)) {
    if (!file.exists(place)) refuse(place, " is no file")
    scope <- new.env(parent = globalenv())
    loaded <- tryCatch(
      { source(place, local = scope, chdir = TRUE); NULL },
      error = function(e) conditionMessage(e)
    )
    if (!is.null(loaded)) refuse(place, " cannot be sourced: ", loaded)
    if (!exists(name, scope, mode = "function", inherits = FALSE))
      refuse(place, " has no function ", name)
    return(get(name, scope, mode = "function"))
  }
  if (!requireNamespace(place, quietly = TRUE)) {
    reason <- tryCatch({ loadNamespace(place); "" }, error = function(e) conditionMessage(e))
    if (nzchar(system.file(package = place)))
      refuse("the package ", place, " of R cannot be loaded: ", reason)
    refuse(
      "the package ", place, " of R is not installed; install.packages(\"", place,
      "\") in R brings it, if it is on CRAN"
    )
  }
  hidden <- grepl(":::", target, fixed = TRUE)
  scope <- asNamespace(place)
  known <- if (hidden) ls(scope, all.names = TRUE) else getNamespaceExports(place)
  if (!(name %in% known) || !is.function(get(name, scope))) {
    near <- agrep(name, known, value = TRUE, ignore.case = TRUE)
    refuse(
      "the package ", place, " of R has no function ", name,
      if (length(near)) paste0("; did you mean ", near[which.min(adist(name, near))], "?")
    )
  }
  get(name, scope)
}

f <- load_function()
# Functions such as prop.test expect packages that R attaches by itself.
parameters <- names(formals(args(f)))
if (is.null(parameters)) parameters <- character()

# Its arguments -----------------------------------------------------------------------------------

parse_one <- function(text, what) {
  parsed <- tryCatch(parse(text = text, keep.source = FALSE), error = function(e) NULL)
  if (length(parsed) != 1) refuse(what, " should be one expression of R, found ", text)
  parsed[[1]]
}

arguments <- list()
for (each in given) {
  split <- regexpr("=", each, fixed = TRUE)
  key <- substr(each, 1, split - 1)
  arguments[key] <- list(parse_one(substring(each, split + 1), paste("the argument", key)))
}

if (!("..." %in% parameters)) {
  unknown <- setdiff(names(arguments), parameters)
  if (length(unknown))
    refuse(target, " has no argument ", unknown[1], "; it has ", paste(parameters, collapse = ", "))
}

# The first parameter of any of these names, in lower or upper case, that has no argument yet.
parameter_of <- function(names) {
  free <- setdiff(parameters, names(arguments))
  at <- match(tolower(names), tolower(free))
  if (all(is.na(at))) NULL else free[at[!is.na(at)][1]]
}

# "n" is the last name of an exposure, since functions of rates have it for another one.
SIZES <- list(n = c("n", "size", "trials"), exposure = c("exposure", "t", "pt", "time", "n"))

synonyms <- function(column) {
  stem <- sub("[12]$", "", column)
  names <- if (stem %in% names(SIZES)) SIZES[[stem]] else stem
  paste0(names, substring(column, nchar(stem) + 1))
}

is_two <- identical(columns[1], "x1")
uses_data <- any(columns %in% unlist(lapply(arguments, all.names)))

add_data <- function() {
  direct <- lapply(columns, function(column) parameter_of(synonyms(column)))
  if (!any(vapply(direct, is.null, NA)))  {
    for (i in seq_along(columns)) arguments[[direct[[i]]]] <<- as.name(columns[i])
    return(TRUE)
  }
  if (!is_two) {
    # One of them may have an argument already, which another one stands beside.
    if (uses_data) for (i in seq_along(columns))
      if (!is.null(direct[[i]])) arguments[[direct[[i]]]] <<- as.name(columns[i])
    return(uses_data)
  }
  x <- parameter_of("x")
  size <- columns[2]
  vector <- parameter_of(sub("1$", "", synonyms(size)))
  if (!is.null(x) && !is.null(vector)) {
    arguments[[x]] <<- quote(c(x1, x2))
    arguments[[vector]] <<- as.call(list(as.name("c"), as.name(size), as.name(columns[4])))
    return(TRUE)
  }
  # A table with the second sample as the first row, which risks, odds and rates are relative to.
  if (!is.null(x) && !uses_data) {
    arguments[[x]] <<- if (size == "n1")
      quote(matrix(c(n2 - x2, n1 - x1, x2, x1), 2))
    else
      quote(matrix(c(x2, x1, exposure2, exposure1), 2))
    return(TRUE)
  }
  uses_data
}

CONFIDENCES <- c(
  "conf.level", "conf_level", "conflev", "level", "conf", "confidence", "confidence.level",
  "ci.level", "ci_level"
)

add_alpha <- function() {
  if ("alpha" %in% unlist(lapply(arguments, all.names))) return(TRUE)
  confidence <- parameter_of(CONFIDENCES)
  if (!is.null(confidence)) {
    arguments[[confidence]] <<- quote(1 - alpha)
    return(TRUE)
  }
  parameter <- parameter_of(c("alpha", "sig.level"))
  if (is.null(parameter)) return(FALSE)
  arguments[[parameter]] <<- as.name("alpha")
  TRUE
}

has_data <- add_data()
has_alpha <- add_alpha()
free <- setdiff(parameters, c("...", names(arguments)))
shown <- if (length(parameters)) paste(parameters, collapse = ", ") else "none"
if (!has_data) {
  # By their order, as a function of one's own may call them anything.
  wanted <- length(columns) + !has_alpha
  if (length(free) < wanted)
    refuse(
      "the arguments of ", target, " for ", paste(columns, collapse = ", "),
      " are not known; it has ", shown, ", and --arg NAME=EXPRESSION says which are which"
    )
  for (i in seq_along(columns)) arguments[[free[i]]] <- as.name(columns[i])
  if (!has_alpha) arguments[[free[wanted]]] <- as.name("alpha")
} else if (!has_alpha) {
  refuse(
    "the argument of ", target, " for alpha is not known; it has ", shown,
    ", and --arg NAME=alpha or NAME=1-alpha says which it is"
  )
}

# Its limits --------------------------------------------------------------------------------------

LOWER <- c("lower", "lwr", "lwr.ci", "lower.ci", "lower.limit", "lowerlimit", "lcl", "lci", "low", "ll")
UPPER <- c("upper", "upr", "upr.ci", "upper.ci", "upper.limit", "upperlimit", "ucl", "uci", "high", "ul")

pair_by_name <- function(values) {
  # The second row of a table of risk ratios is relative to the first one.
  if (length(dim(values)) == 2) {
    row <- nrow(values)
    known <- tolower(colnames(values))
    if (!(row %in% 1:2) || (row == 2 && !anyNA(values[1, ]))) return(NULL)
    values <- unlist(values[row, ])
  } else {
    known <- tolower(names(values))
  }
  at <- c(match(LOWER, known), match(UPPER, known))
  low <- at[seq_along(LOWER)]
  high <- at[-seq_along(LOWER)]
  if (all(is.na(low)) || all(is.na(high))) return(NULL)
  pair <- list(values[[low[!is.na(low)][1]]], values[[high[!is.na(high)][1]]])
  if (all(lengths(pair) == 1)) unlist(pair) else NULL
}

find_limits <- function(value, depth = 0) {
  if (is.list(value) && !is.data.frame(value)) {
    for (name in c("conf.int", "conf_int", "ci")) {
      inner <- value[[name]]
      if (is.numeric(inner) && length(inner) == 2) return(as.vector(inner))
    }
  }
  if (is.numeric(value) && length(value) == 2) return(as.vector(value))
  if (!is.null(names(value)) || !is.null(colnames(value))) {
    found <- pair_by_name(value)
    if (!is.null(found)) return(found)
  }
  if (is.list(value) && !is.data.frame(value) && depth < 2)
    for (inner in value) if (is.list(inner) || is.matrix(inner)) {
      found <- find_limits(inner, depth + 1)
      if (!is.null(found)) return(found)
    }
  NULL
}

limits <- if (nzchar(words[3])) parse_one(words[3], "--limits") else NULL

describe <- function(value) {
  parts <- if (is.null(names(value))) "" else paste(" with", paste(names(value), collapse = ", "))
  paste0(class(value)[1], " of length ", length(value), parts)
}

limits_of <- function(value) {
  found <- if (is.null(limits)) find_limits(value) else eval(limits, list(value = value), scope)
  if (is.logical(found) && length(found) == 2 && all(is.na(found))) found <- as.numeric(found)
  if (!is.numeric(found) || length(found) != 2)
    stop(
      "no two limits were found in its value, ", describe(if (is.null(limits)) value else found),
      "; --limits EXPRESSION in value says where they are"
    )
  found
}

# Lines -------------------------------------------------------------------------------------------

scope <- new.env(parent = globalenv())
call <- as.call(c(list(f), arguments))
input <- file("stdin", "r")

read_numbers <- function(word) as.numeric(strsplit(word, ",", fixed = TRUE)[[1]])

say(GREETING)
while (length(line <- readLines(input, 1))) {
  data <- strsplit(line, " ", fixed = TRUE)[[1]]
  for (i in seq_along(columns)) assign(columns[i], read_numbers(data[i]), scope)
  assign("alpha", read_numbers(data[length(columns) + 1]), scope)
  answer <- tryCatch(
    suppressMessages(suppressWarnings(sprintf("%.17g", limits_of(eval(call, scope))))),
    error = function(e) paste("error:", conditionMessage(e))
  )
  say(paste(answer, collapse = " "))
}
