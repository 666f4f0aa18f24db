package io.delayqueue.annotation;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.core.CoroutinesUtils;
import org.springframework.core.ReactiveAdapter;

/**
 * A stage that completes when a publisher does. A class of its own, because Reactive Streams may be missing on the
 * class path.
 */
final class PublisherStage implements Subscriber<Object> {

    private final CompletableFuture<Void> end = new CompletableFuture<>();

    private PublisherStage() {}

    static CompletionStage<?> of(ReactiveAdapter adapter, Object result) {
        return subscribe(adapter.toPublisher(result));
    }

    static CompletionStage<?> callSuspending(Method method, Object bean, @Nullable Object... arguments) {
        return subscribe(CoroutinesUtils.invokeSuspendingFunction(method, bean, arguments));
    }

    private static CompletionStage<?> subscribe(Publisher<?> publisher) {
        PublisherStage stage = new PublisherStage();
        publisher.subscribe(stage);
        return stage.end;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object ignored) {}

    @Override
    public void onError(Throwable failure) {
        end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        end.complete(null);
    }
}
