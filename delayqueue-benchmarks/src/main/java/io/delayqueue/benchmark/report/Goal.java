package io.delayqueue.benchmark.report;

/**
 * One thing that the benchmark must show, and what a run showed.
 *
 * @param title of which measurement
 * @param goal what is wanted, in words
 * @param measured what came out, in words, with what it was computed from
 * @param verdict whether that is what is wanted
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
