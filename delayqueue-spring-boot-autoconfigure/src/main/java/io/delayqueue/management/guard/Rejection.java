package io.delayqueue.management.guard;

/**
 * A rejection of a request.
 *
 * @param status the HTTP status of the response
 * @param sentence what is wrong, and what to do
 */
public record Rejection(int status, String sentence) {}
