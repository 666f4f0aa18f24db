package io.delayqueue.annotation;

import org.jspecify.annotations.Nullable;

/**
 * The declaration of a listener is invalid. Fails the application's start.
 *
 * <p>The message names the bean, the method, the problem and the fix. A failure analyzer can read each of them.
 */
public final class InvalidListenerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String beanName;
    private final String method;
    private final String problem;
    private final String fix;

    /**
     * Creates the exception.
     *
     * @param beanName the bean's name; for a listener registered by code, its id
     * @param method the method with its class and parameter types; empty if there is none
     * @param problem a sentence
     * @param fix a sentence that begins with a verb
     */
    public InvalidListenerException(String beanName, String method, String problem, String fix) {
        this(beanName, method, problem, fix, null);
    }

    /** Creates the exception with a cause. */
    public InvalidListenerException(
            String beanName, String method, String problem, String fix, @Nullable Throwable cause) {
        super(where(beanName, method) + ": " + problem + " " + fix, cause);
        this.beanName = beanName;
        this.method = method;
        this.problem = problem;
        this.fix = fix;
    }

    private static String where(String beanName, String method) {
        return "Listener '" + beanName + "'" + (method.isEmpty() ? "" : " (" + method + ")");
    }

    /** The bean's name; for a listener registered by code, its id. */
    public String beanName() {
        return beanName;
    }

    /** The method with its class and parameter types; empty if there is none. */
    public String method() {
        return method;
    }

    /** What is wrong. */
    public String problem() {
        return problem;
    }

    /** What to do. */
    public String fix() {
        return fix;
    }
}
