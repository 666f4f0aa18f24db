package io.delayqueue.web.waiting;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Ends the wait of a request that failed between the controller and the container, for example in an interceptor of the
 * application. Otherwise messages would be claimed for the failed request, and its connection would be checked while it
 * serves the next request.
 */
public final class AbandonedWaits implements HandlerInterceptor {

    private static final String WAIT = AbandonedWaits.class.getName() + ".wait";

    /** Registers the action that ends the wait of a request. */
    public static void remember(HttpServletRequest request, Runnable end) {
        request.setAttribute(WAIT, end);
    }

    /**
     * Ends the wait. For an asynchronous request, Spring calls this method after the dispatch that writes the response,
     * not when the wait begins.
     */
    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        if (request.getAttribute(WAIT) instanceof Runnable end) {
            end.run();
        }
    }
}
