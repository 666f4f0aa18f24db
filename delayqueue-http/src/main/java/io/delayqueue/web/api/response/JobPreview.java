package io.delayqueue.web.api.response;

/**
 * The effect of a job, if it began now.
 *
 * @param expected number of messages or dead letters; 1 for pause and resume
 */
public record JobPreview(long expected) {}
