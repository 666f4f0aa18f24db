package io.delayqueue.annotation;

import org.jspecify.annotations.Nullable;

/**
 * A listener that can't be run as it is declared. It fails the application's start.
 *
 * <p>Its message names the bean, the method, what is wrong and what to do; each is there by itself for a failure
 * analysis.
 */
public final class InvalidListenerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String beanName;
    private final String method;
    private final String problem;
    private final String fix;

    /**
     * With what is wrong.
     *
     * @param beanName the bean, or for a listener registered by code its id
     * @param method the method with its class and parameter types, empty where there is none
     * @param problem a sentence
     * @param fix a sentence that begins with a verb
     */
    public InvalidListenerException(String beanName, String method, String problem, String fix) {
        this(beanName, method, problem, fix, null);
    }

    /** With the failure that led to it. */
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

    /** The bean, or the id of a listener that was registered by code. */
    public String beanName() {
        return beanName;
    }

    /** The method with its class and parameter types, empty where there is none. */
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
