package io.delayqueue.container;

import java.time.Duration;

/** Engine settings for tests, from the built-in ones. */
public final class Pacing {

    private int stepThreads = EngineSettings.DEFAULTS.stepThreads();
    private Duration sweep = EngineSettings.DEFAULTS.sweep();
    private Duration heartbeat = EngineSettings.DEFAULTS.heartbeat();
    private Duration confirmAfter = EngineSettings.DEFAULTS.confirmAfter();
    private Duration retention = Duration.ofDays(1);
    private Duration letterMaxAge = EngineSettings.DEFAULTS.letterMaxAge();
    private long letterMaxCount = EngineSettings.DEFAULTS.letterMaxCount();

    private Pacing() {}

    public static Pacing builtIn() {
        return new Pacing();
    }

    /** Nothing happens by itself while a test lasts. */
    public static Pacing quiet() {
        return new Pacing().sweep(Duration.ofMinutes(1)).heartbeat(Duration.ofMinutes(1));
    }

    public Pacing stepThreads(int threads) {
        this.stepThreads = threads;
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

    public Pacing retention(Duration interval, Duration maxAge, long maxCount) {
        this.retention = interval;
        this.letterMaxAge = maxAge;
        this.letterMaxCount = maxCount;
        return this;
    }

    public EngineSettings settings() {
        Duration built = EngineSettings.DEFAULTS.unconfirmedSweep();
        return new EngineSettings(
                stepThreads,
                sweep,
                sweep.compareTo(built) < 0 ? sweep : built,
                heartbeat,
                heartbeat.multipliedBy(3),
                EngineSettings.DEFAULTS.linger(),
                confirmAfter,
                retention,
                letterMaxAge,
                letterMaxCount);
    }
}
