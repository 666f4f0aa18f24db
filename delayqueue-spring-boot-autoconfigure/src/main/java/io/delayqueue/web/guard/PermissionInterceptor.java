package io.delayqueue.web.guard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/** Has the guard asked before a handler method, which says by {@link Requires} what for. Thread-safe. */
public final class PermissionInterceptor implements HandlerInterceptor {

    private static final Permission[] MOST = {Permission.ADMIN};

    private final AccessGuard guard;

    /** With the guard. */
    public PermissionInterceptor(AccessGuard guard) {
        this.guard = guard;
    }

    /**
     * Lets the request through.
     *
     * @throws AccessRefusedException if it must not be handled; the answer then has the header that goes with it
     */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        Requires requires = handler instanceof HandlerMethod method ? method.getMethodAnnotation(Requires.class) : null;
        Refusal refusal = guard.check(request, response, requires == null ? MOST : requires.value());
        if (refusal != null) {
            throw new AccessRefusedException(refusal);
        }
        return true;
    }
}
