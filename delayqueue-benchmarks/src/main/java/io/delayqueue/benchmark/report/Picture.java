package io.delayqueue.benchmark.report;

/**
 * A picture beside the document.
 *
 * @param file its name within the directory of the document
 * @param title what it shows
 */
record Picture(String file, String title) {}
