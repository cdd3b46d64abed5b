"""Programs outside Python on the splits of a study: WEKA, packages of R, and Khiops."""
