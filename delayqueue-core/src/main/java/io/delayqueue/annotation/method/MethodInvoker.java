package io.delayqueue.annotation.method;

import io.delayqueue.listener.InvalidDeliveryException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.convert.ConversionException;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessagingException;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * Calls a method. A delivery that does not fit the method fails with {@link InvalidDeliveryException}, other failures
 * are those of the method.
 */
final class MethodInvoker extends InvocableHandlerMethod {

    private final ListenerMethod method;
    private final boolean suspending;

    MethodInvoker(ListenerMethod method, HandlerMethodArgumentResolverComposite resolvers) {
        super(method.bean(), method.method());
        this.method = method;
        this.suspending = KotlinDetector.isSuspendingFunction(method.method());
        setMessageMethodArgumentResolvers(resolvers);
    }

    @Override
    protected Class<?> getContainingClass() {
        return method.targetClass();
    }

    @Override
    protected @Nullable Object[] getMethodArgumentValues(Message<?> message, @Nullable Object... providedArgs)
            throws Exception {
        try {
            return super.getMethodArgumentValues(message, providedArgs);
        } catch (MessagingException | ConversionException e) {
            throw new InvalidDeliveryException(describe(e), e);
        }
    }

    private static String describe(RuntimeException exception) {
        String message = exception.getMessage();
        return message == null ? exception.getClass().getSimpleName() : message;
    }

    @Override
    protected @Nullable Object doInvoke(@Nullable Object... arguments) throws Exception {
        if (suspending) {
            return PublisherStage.callSuspending(method.invocable(), method.bean(), arguments);
        }
        try {
            return method.invocable().invoke(method.bean(), arguments);
        } catch (InvocationTargetException e) {
            throw unwrapped(e.getTargetException());
        } catch (IllegalArgumentException e) {
            throw new InvalidDeliveryException("The arguments don't fit " + method.method() + ": " + e.getMessage(), e);
        }
    }

    private static Exception unwrapped(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof Exception exception ? exception : new UndeclaredThrowableException(thrown);
    }
}
