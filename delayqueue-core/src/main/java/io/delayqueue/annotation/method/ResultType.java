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

/** Determines from a method's result when its delivery is handled. */
@FunctionalInterface
interface ResultType {

    /** The result as a stage, or null if the delivery is handled. */
    @Nullable
    CompletionStage<?> stage(@Nullable Object result);

    /**
     * Reads a method's return type.
     *
     * @throws InvalidSignatureException if the return type is not permitted
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
            throw rejected("It returns " + type.getTypeName() + ", which is not permitted.");
        }
        if (adapter.isMultiValue()) {
            throw rejected("It returns " + type.getTypeName() + ", a stream of many values.");
        }
        return result -> result == null ? null : PublisherStage.of(adapter, result);
    }

    private static ResultType ofSuspending(ListenerMethod method) {
        if (!ClassUtils.isPresent(
                "kotlinx.coroutines.reactor.MonoKt", method.targetClass().getClassLoader())) {
            throw new InvalidSignatureException(
                    "It is a suspend function, and the library for these is missing.",
                    "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor.");
        }
        int continuation = method.method().getParameterCount() - 1;
        Class<?> type = ResolvableType.forMethodParameter(method.method(), continuation, method.targetClass())
                .getGeneric(0)
                .resolve(Object.class);
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter != null && adapter.isMultiValue()) {
            throw rejected(
                    "It is a suspend function that returns " + type.getTypeName() + ", a stream of many values.");
        }
        return result -> (CompletionStage<?>) result;
    }

    private static InvalidSignatureException rejected(String problem) {
        return new InvalidSignatureException(
                problem, "Return void, a CompletableFuture, or a type of a single value such as Mono.");
    }
}
