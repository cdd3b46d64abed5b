# Train classifiers of R on the tables of a folder: Rscript others.R FOLDER
# Of each table, FOLDER/TABLE/train.arff and test.arff are read (by bnclassify train-codes.arff and test-codes.arff), and
# FOLDER/TABLE/NAME.csv is written: the seconds of processor time that the training took, then a line with the
# probability of each class for each test row. The versions are printed.

weighted <- function(train, ...) bnclassify::lp(bnclassify::nb("class", train), train, smooth = 1, ...)
e1071 <- list("e1071 naiveBayes" = function(train) e1071::naiveBayes(class ~ ., train))
bnclassify <- list(
  "bnclassify nb" = function(train) weighted(train),
  "bnclassify tan_cl" = function(train) bnclassify::lp(bnclassify::tan_cl("class", train), train, smooth = 1),
  "bnclassify aode" = function(train) bnclassify::lp(bnclassify::aode("class", train), train, smooth = 1),
  "bnclassify AWNB" = function(train) weighted(train, awnb_trees = 10, awnb_bootstrap = 0.5),
  "bnclassify WANBIA" = function(train) weighted(train, wanbia = TRUE)
)

read_arff <- function(table, name) {
  lines <- readLines(file.path(table, name))
  header <- seq_len(which(lines == "@data"))
  attributes <- strsplit(grep("^@attribute", lines[header], value = TRUE), " ")
  rows <- read.csv(text = lines[-header], header = FALSE, na.strings = "?", colClasses = "character",
                   col.names = sapply(attributes, `[`, 2))
  for (one in attributes) {
    values <- rows[[one[2]]]
    levels <- strsplit(gsub("[{}]", "", one[3]), ",")[[1]]
    rows[[one[2]]] <- if (one[3] == "numeric") as.numeric(values) else factor(values, levels)
  }
  rows
}

measure <- function(table, name, fit, probabilities, view) {
  train <- read_arff(table, paste0("train", view, ".arff"))
  test <- read_arff(table, paste0("test", view, ".arff"))
  set.seed(0)
  started <- proc.time()
  model <- fit(train)
  took <- sum((proc.time() - started)[c("user.self", "sys.self")])
  out <- file(file.path(table, paste0(name, ".csv")), "w")
  writeLines(format(took), out)
  write.table(probabilities(model, test), out, sep = ",", row.names = FALSE, col.names = FALSE)
  close(out)
}

run <- function(package, fits, probabilities, view) {
  if (!requireNamespace(package, quietly = TRUE))
    return(message(package, " is not installed, and left out: install.packages(\"", package, "\")"))
  cat(package, format(packageVersion(package)), "\n")
  tables <- list.dirs(commandArgs(trailingOnly = TRUE)[1], recursive = FALSE)
  for (name in names(fits)) for (table in tables) tryCatch(
    measure(table, name, fits[[name]], probabilities, view),
    error = function(error) message(name, " on ", basename(table), ": ", conditionMessage(error))
  )
}

cat(R.version.string, "\n")
run("e1071", e1071, function(model, test) predict(model, test, type = "raw"), "")
run("bnclassify", bnclassify, function(model, test) predict(model, test, prob = TRUE), "-codes")
