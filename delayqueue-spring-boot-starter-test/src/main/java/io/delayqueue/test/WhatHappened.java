package io.delayqueue.test;

import io.delayqueue.event.DelayQueueEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Remembers which messages this application has acknowledged. Thread-safe. */
final class WhatHappened implements DelayQueueEvents {

    private final Map<String, List<String>> acknowledged = new HashMap<>();

    @Override
    public void acknowledged(String topic, String listener, String id, int attempt, Duration handling) {
        synchronized (this) {
            acknowledged.computeIfAbsent(topic, any -> new ArrayList<>()).add(id);
            notifyAll();
        }
    }

    synchronized boolean isAcknowledged(String topic, String id) {
        return acknowledged.getOrDefault(topic, List.of()).contains(id);
    }

    synchronized int acknowledgedCount(String topic) {
        return acknowledged.getOrDefault(topic, List.of()).size();
    }

    synchronized Set<String> acknowledgedIds(String topic) {
        return new TreeSet<>(acknowledged.getOrDefault(topic, List.of()));
    }

    synchronized void forget() {
        acknowledged.clear();
    }

    /** Waits until something happens, but not longer than so many nanoseconds. */
    synchronized void await(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.timedWait(this, nanos);
    }
}
