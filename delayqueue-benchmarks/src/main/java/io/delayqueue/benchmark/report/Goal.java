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

    /** How a run stands to a goal. */
    public enum Verdict {
        /** It came out as wanted. */
        MET("met"),
        /** It was measured and came out otherwise. */
        NOT_MET("not met"),
        /** The run lacks a number that is needed to tell. */
        NOT_MEASURED("not measured");

        private final String title;

        Verdict(String title) {
            this.title = title;
        }

        /** What it is called in reports. */
        public String title() {
            return title;
        }
    }
}
