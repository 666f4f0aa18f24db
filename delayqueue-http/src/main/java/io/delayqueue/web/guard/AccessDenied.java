package io.delayqueue.web.guard;

/**
 * Why a request is not authorized.
 *
 * @param status HTTP status, 401 or 403
 * @param sentence what is wrong and what to do
 */
public record AccessDenied(int status, String sentence) {}
