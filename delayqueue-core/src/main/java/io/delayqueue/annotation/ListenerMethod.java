package io.delayqueue.annotation;

import io.delayqueue.listener.InvalidDeliveryException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.convert.ConversionException;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessagingException;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A listener method of a bean. A delivery that does not fit the method fails with an {@link InvalidDeliveryException}.
 * Other failures are those of the method.
 */
final class ListenerMethod extends InvocableHandlerMethod {

    private final Class<?> targetClass;
    /** The method to call on the bean: the interface's method if the bean is a JDK proxy. */
    private final Method invocable;

    private final boolean suspending;
    /** Null unless the method returns a reactive type. */
    private final @Nullable ReactiveAdapter adapter;

    private final Origin origin;

    /**
     * Checks the method, except for its parameters.
     *
     * @param bean the bean, or its proxy
     * @param targetClass the class of the bean, without a proxy
     * @param method the method as the class declares or inherits it, with its annotations
     * @throws InvalidListenerException if the method can't be called or its return type is not permitted
     */
    ListenerMethod(
            Object bean,
            Class<?> targetClass,
            Method method,
            Origin origin,
            HandlerMethodArgumentResolverComposite resolvers) {
        super(bean, method);
        this.targetClass = targetClass;
        this.origin = origin;
        this.suspending = KotlinDetector.isSuspendingFunction(method);
        this.adapter = checkedAdapter();
        this.invocable = checkedInvocable();
        setMessageMethodArgumentResolvers(resolvers);
    }

    private Method checkedInvocable() {
        Method found;
        try {
            found = AopUtils.selectInvocableMethod(getMethod(), getBean().getClass());
        } catch (IllegalStateException e) {
            throw origin.invalid(
                    "The bean is a proxy through which the method can't be called.",
                    "Make the method public and declare it in an interface of the bean, or have the class proxied"
                            + " (spring.aop.proxy-target-class=true).",
                    e);
        }
        if (AopUtils.isCglibProxy(getBean()) && !isOverriddenBy(getBean().getClass(), found)) {
            throw origin.invalid(
                    "The bean is a proxy that can't override the method, because the method is final or not visible in the"
                            + " bean's package. It would run on the proxy, whose fields are null.",
                    "Make the method public and not final.");
        }
        ReflectionUtils.makeAccessible(found);
        return found;
    }

    private static boolean isOverriddenBy(Class<?> proxy, Method method) {
        int modifiers = method.getModifiers();
        boolean inPackage = !Modifier.isPrivate(modifiers)
                && method.getDeclaringClass().getPackageName().equals(proxy.getPackageName());
        boolean visible = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers) || inPackage;
        return visible && !Modifier.isFinal(modifiers);
    }

    private @Nullable ReactiveAdapter checkedAdapter() {
        if (AnnotatedElementUtils.hasAnnotation(getMethod(), Async.class)
                || AnnotatedElementUtils.hasAnnotation(targetClass, Async.class)) {
            throw origin.invalid(
                    "It is @Async: its messages would be acknowledged before they are handled.",
                    "Remove @Async, and set the listener's concurrency instead.");
        }
        if (suspending) {
            checkSuspending();
            return null;
        }
        Class<?> type = GenericTypeResolver.resolveReturnType(getMethod(), targetClass);
        if (type == void.class || type == Void.class || CompletionStage.class.isAssignableFrom(type)) {
            return null;
        }
        ReactiveAdapter found = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (found == null) {
            throw rejected("It returns " + type.getTypeName() + ", which is not permitted.");
        }
        if (found.isMultiValue()) {
            throw rejected("It returns " + type.getTypeName() + ", a stream of many values.");
        }
        return found;
    }

    private void checkSuspending() {
        if (!KotlinDetector.isKotlinReflectPresent()
                || !ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", targetClass.getClassLoader())) {
            throw origin.invalid(
                    "It is a suspend function, and a library that suspend functions need is missing.",
                    "Add org.jetbrains.kotlin:kotlin-reflect and org.jetbrains.kotlinx:kotlinx-coroutines-reactor.");
        }
        int continuation = getMethod().getParameterCount() - 1;
        Class<?> type = ResolvableType.forMethodParameter(getMethod(), continuation, targetClass)
                .getGeneric(0)
                .resolve(Object.class);
        ReactiveAdapter found = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (found != null && found.isMultiValue()) {
            throw rejected(
                    "It is a suspend function that returns " + type.getTypeName() + ", a stream of many values.");
        }
    }

    private InvalidListenerException rejected(String problem) {
        return origin.invalid(problem, "Return void, a CompletableFuture, or a type of a single value such as Mono.");
    }

    /** Whether the method may return before the delivery is handled. */
    boolean isAsynchronous() {
        Class<?> type = GenericTypeResolver.resolveReturnType(getMethod(), targetClass);
        return suspending || (type != void.class && type != Void.class);
    }

    /** Calls the method. Returns null if the delivery is handled, or a stage that completes when it is. */
    @Nullable
    CompletionStage<?> call(DeliveryMessage message) throws Exception {
        return stage(invoke(message));
    }

    /** Calls the method with the lists of a batch. Returns what {@link #call} returns. */
    @Nullable
    CompletionStage<?> callWithLists(Object[] lists) throws Exception {
        return stage(doInvoke(lists));
    }

    private @Nullable CompletionStage<?> stage(@Nullable Object result) {
        return adapter == null || result == null ? (CompletionStage<?>) result : PublisherStage.of(adapter, result);
    }

    @Override
    protected Class<?> getContainingClass() {
        return targetClass;
    }

    @Override
    protected @Nullable Object[] getMethodArgumentValues(Message<?> message, @Nullable Object... providedArgs)
            throws Exception {
        try {
            return super.getMethodArgumentValues(message, providedArgs);
        } catch (MessagingException | ConversionException e) {
            String problem = e.getMessage();
            throw new InvalidDeliveryException(problem == null ? e.getClass().getSimpleName() : problem, e);
        }
    }

    @Override
    protected @Nullable Object doInvoke(@Nullable Object... arguments) throws Exception {
        if (suspending) {
            return PublisherStage.callSuspending(invocable, getBean(), arguments);
        }
        try {
            return invocable.invoke(getBean(), arguments);
        } catch (InvocationTargetException e) {
            ReflectionUtils.rethrowException(e.getTargetException());
            return null; // not reached
        } catch (IllegalArgumentException e) {
            throw new InvalidDeliveryException("The arguments don't fit " + getMethod() + ": " + e.getMessage(), e);
        }
    }
}
