package io.delayqueue.annotation.method;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** What a method's result says about when its delivery is handled. */
@FunctionalInterface
interface ResultType {

    /** The result as a stage, or null if the delivery is handled. */
    @Nullable
    CompletionStage<?> stage(@Nullable Object result);

    /**
     * Reads a method's signature.
     *
     * @throws InvalidSignatureException if its result says nothing about that
     */
    static ResultType of(ListenerMethod method) {
        if (AnnotatedElementUtils.hasAnnotation(method.method(), Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.targetClass(), Async.class)) {
            throw new InvalidSignatureException(
                    "It is @Async: its messages would be acknowledged before they are handled.",
                    "Remove @Async, and set the listener's concurrency instead.");
        }
        if (KotlinDetector.isSuspendingFunction(method.method())) {
            return ofSuspending(method);
        }
        Class<?> type = GenericTypeResolver.resolveReturnType(method.method(), method.targetClass());
        if (type == void.class || type == Void.class) {
            return result -> null;
        }
        if (CompletionStage.class.isAssignableFrom(type)) {
            return result -> (CompletionStage<?>) result;
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter == null) {
            throw refused("It returns " + type.getTypeName() + ", for which there is no use.");
        }
        if (adapter.isMultiValue()) {
            throw refused("It returns " + type.getTypeName() + ", a stream of many values.");
        }
        return result -> result == null ? null : PublisherStage.of(adapter, result);
    }

    private static ResultType ofSuspending(ListenerMethod method) {
        if (!ClassUtils.isPresent(
                "kotlinx.coroutines.reactor.MonoKt", method.targetClass().getClassLoader())) {
            throw new InvalidSignatureException(
                    "It is a suspend function, for which a library is missing.",
                    "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor.");
        }
        int continuation = method.method().getParameterCount() - 1;
        Class<?> type = ResolvableType.forMethodParameter(method.method(), continuation, method.targetClass())
                .getGeneric(0)
                .resolve(Object.class);
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter != null && adapter.isMultiValue()) {
            throw refused("It is a suspend function that returns " + type.getTypeName() + ", a stream of many values.");
        }
        return result -> (CompletionStage<?>) result;
    }

    private static InvalidSignatureException refused(String problem) {
        return new InvalidSignatureException(
                problem, "Return void, a CompletableFuture, or a type of a single value such as Mono.");
    }
}
