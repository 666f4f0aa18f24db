package io.delayqueue.annotation;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatusBuilder;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.QueueKind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Runs no listener and records calls. */
final class RecordingContainer implements ManagedListener {

    final ListenerSpec spec;
    final List<String> calls = new CopyOnWriteArrayList<>();
    /** The result of a stop. */
    CompletableFuture<Void> stopped = CompletableFuture.completedFuture(null);

    private final Consumer<RecordingContainer> onStart;
    private boolean running;
    private boolean paused;

    RecordingContainer(ListenerSpec spec, Consumer<RecordingContainer> onStart) {
        this.spec = spec;
        this.onStart = onStart;
    }

    CompletionStage<?> deliver(Delivery... deliveries) throws Exception {
        return spec.handler().handle(List.of(deliveries));
    }

    CompletionStage<?> deliverPayload(Object payload) throws Exception {
        return deliver(TestDelivery.of(payload));
    }

    @Override
    public String id() {
        return spec.id();
    }

    @Override
    public String topic() {
        return spec == null ? "" : spec.topic();
    }

    @Override
    public QueueKind kind() {
        return spec == null ? QueueKind.MESSAGES : spec.kind();
    }

    @Override
    public int inUse() {
        return 0;
    }

    @Override
    public ListenerStatus status() {
        State state = !running ? State.STOPPED : paused ? State.PAUSED : State.RUNNING;
        return ListenerStatusBuilder.listener(id(), topic())
                .kind(kind())
                .state(state)
                .handlers(0, options().concurrency())
                .build();
    }

    @Override
    public ListenerOptions options() {
        return spec == null ? ListenerOptions.DEFAULTS : spec.options();
    }

    @Override
    public void start() {
        calls.add("start");
        onStart.accept(this);
        running = true;
    }

    @Override
    public CompletableFuture<Void> stop() {
        calls.add("stop");
        running = false;
        return stopped;
    }

    @Override
    public void pause() {
        calls.add("pause");
        paused = true;
    }

    @Override
    public void resume() {
        calls.add("resume");
        paused = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public ListenerProgress progress() {
        return ListenerProgress.NONE;
    }

    @Override
    public boolean isPaused() {
        return paused;
    }

    @Override
    public List<Pause> pauses() {
        return List.of();
    }
}
