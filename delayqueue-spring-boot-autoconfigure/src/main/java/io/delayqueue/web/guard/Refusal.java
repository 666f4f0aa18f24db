package io.delayqueue.web.guard;

/**
 * Why a request is not handled.
 *
 * @param status the HTTP status, 401 or 403
 * @param sentence what to do about it
 */
public record Refusal(int status, String sentence) {}
