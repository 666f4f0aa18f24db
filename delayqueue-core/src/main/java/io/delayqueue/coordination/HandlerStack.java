package io.delayqueue.coordination;

import io.delayqueue.listener.ListenerStatus.RunningHandler;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stack of the oldest handler of a listener on a node. It may contain names of classes of the application, but no data
 * of messages.
 *
 * @param listener id of the listener
 * @param handler the handler; null if none is running
 * @param frames the frames of its thread, the innermost first, at most {@value #MAX_FRAMES}; empty if none is running, or if
 *     no thread runs it, because it is asynchronous
 */
public record HandlerStack(String listener, @Nullable RunningHandler handler, List<String> frames) {

    /** Maximum number of frames. */
    public static final int MAX_FRAMES = 50;

    /** The time for which a request is kept, and for which a node reports the stack with each heartbeat. */
    public static final Duration REPORTED = Duration.ofMinutes(1);

    /** Copies the frames. */
    public HandlerStack {
        frames = List.copyOf(frames);
    }
}
