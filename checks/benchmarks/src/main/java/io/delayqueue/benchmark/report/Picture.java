package io.delayqueue.benchmark.report;

/**
 * A chart of the document.
 *
 * @param file the name of the file in the directory of the document
 * @param title the title
 */
record Picture(String file, String title) {}
