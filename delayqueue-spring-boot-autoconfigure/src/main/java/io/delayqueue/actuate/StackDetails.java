package io.delayqueue.actuate;

import io.delayqueue.coordination.HandlerStack;
import org.jspecify.annotations.Nullable;

/**
 * The stack of the oldest handler of a listener on a node.
 *
 * @param stack null if it was requested and the node has not reported it yet
 */
public record StackDetails(@Nullable HandlerStack stack) {}
