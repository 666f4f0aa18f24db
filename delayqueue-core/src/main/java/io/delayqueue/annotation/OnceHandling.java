package io.delayqueue.annotation;

import io.delayqueue.Internal;
import io.delayqueue.listener.DeliveryHandler;
import java.lang.reflect.Method;
import java.util.function.BiFunction;

/**
 * Makes listeners with {@link DelayListener#once()} idempotent. The artifact {@code delayqueue-jdbc} contributes the bean.
 */
@Internal
@FunctionalInterface
public interface OnceHandling {

    /**
     * Returns a handler that calls the given one in a transaction, for messages that are not yet handled.
     *
     * @param handler the handler of the method; it is synchronous and takes no {@code Acknowledgement}
     * @throws InvalidListenerException if the application or the method does not permit it
     */
    DeliveryHandler once(OnceMethod method, DeliveryHandler handler);

    /**
     * The method of a listener.
     *
     * @param listener the listener's id
     * @param type the class of the bean, without a proxy
     * @param invalid creates an exception that names the bean and the method, for a problem and its fix, each a sentence
     */
    record OnceMethod(
            String listener,
            Class<?> type,
            Method method,
            BiFunction<String, String, InvalidListenerException> invalid) {}
}
