package io.delayqueue.benchmark.report;

/**
 * A goal and its result.
 *
 * @param title the measurement
 * @param goal the goal as text
 * @param measured the result as text, with the numbers from which it was computed
 * @param verdict whether the goal was reached
 */
public record Goal(String title, String goal, String measured, Verdict verdict) {

    /** The result of a goal. */
    public enum Verdict {
        /** The goal is met. */
        MET("met"),
        /** The goal was measured and is not met. */
        NOT_MET("not met"),
        /** The run lacks a required measurement. */
        NOT_MEASURED("not measured");

        private final String title;

        Verdict(String title) {
            this.title = title;
        }

        /** The title in reports. */
        public String title() {
            return title;
        }
    }
}
