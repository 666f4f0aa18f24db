package io.delayqueue.web.waiting;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Ends waits whose request failed between the controller and the container, by the application's own interceptors for
 * example: nothing may be claimed for them, and their connection be looked at, while it serves the next request.
 */
public final class AbandonedWaits implements HandlerInterceptor {

    private static final String WAIT = AbandonedWaits.class.getName() + ".wait";

    /** Of a request that waits from now on. */
    public static void remember(HttpServletRequest request, Runnable end) {
        request.setAttribute(WAIT, end);
    }

    /** Not called for a request that has begun to wait before it is dispatched with its answer. */
    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        if (request.getAttribute(WAIT) instanceof Runnable end) {
            end.run();
        }
    }
}
