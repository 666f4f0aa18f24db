package io.delayqueue.container;

import java.time.Duration;

/** Engine settings for tests, from the built-in ones. */
public final class Pacing {

    private int taskThreads = EngineSettings.DEFAULTS.taskThreads();
    private Duration sweep = EngineSettings.DEFAULTS.sweep();
    private Duration heartbeat = EngineSettings.DEFAULTS.heartbeat();
    private Duration confirmAfter = EngineSettings.DEFAULTS.confirmAfter();
    private Duration retention = Duration.ofDays(1);
    private Duration deadLetterMaxAge = EngineSettings.DEFAULTS.deadLetterMaxAge();
    private long deadLetterMaxCount = EngineSettings.DEFAULTS.deadLetterMaxCount();
    private long deadLetterMaxBytes = EngineSettings.DEFAULTS.deadLetterMaxBytes();

    private boolean slowIfFailingAlone = EngineSettings.DEFAULTS.slowIfFailingAlone();

    private Pacing() {}

    public static Pacing builtIn() {
        return new Pacing();
    }

    /** Nothing happens by itself while a test lasts. */
    public static Pacing quiet() {
        return new Pacing().sweep(Duration.ofMinutes(1)).heartbeat(Duration.ofMinutes(1));
    }

    public Pacing taskThreads(int threads) {
        this.taskThreads = threads;
        return this;
    }

    public Pacing sweep(Duration sweep) {
        this.sweep = sweep;
        return this;
    }

    public Pacing heartbeat(Duration heartbeat) {
        this.heartbeat = heartbeat;
        return this;
    }

    public Pacing confirmAfter(Duration confirmAfter) {
        this.confirmAfter = confirmAfter;
        return this;
    }

    public Pacing slowIfFailingAlone(boolean slow) {
        this.slowIfFailingAlone = slow;
        return this;
    }

    public Pacing retention(Duration interval, Duration maxAge, long maxCount) {
        this.retention = interval;
        this.deadLetterMaxAge = maxAge;
        this.deadLetterMaxCount = maxCount;
        return this;
    }

    public Pacing deadLetterMaxBytes(long bytes) {
        this.deadLetterMaxBytes = bytes;
        return this;
    }

    public EngineSettings settings() {
        Duration built = EngineSettings.DEFAULTS.unconfirmedSweep();
        return new EngineSettings(
                taskThreads,
                sweep,
                sweep.compareTo(built) < 0 ? sweep : built,
                heartbeat,
                heartbeat.multipliedBy(3),
                EngineSettings.DEFAULTS.linger(),
                confirmAfter,
                EngineSettings.DEFAULTS.crashes(),
                slowIfFailingAlone,
                retention,
                deadLetterMaxAge,
                deadLetterMaxCount,
                deadLetterMaxBytes);
    }
}
