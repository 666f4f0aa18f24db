package io.delayqueue.message;

import io.delayqueue.Internal;
import java.util.stream.IntStream;

/** Compares a name that may be mistyped with the known ones. */
@Internal
public final class SimilarNames {

    private SimilarNames() {}

    /** The Levenshtein distance: how many characters must be added, removed or changed to turn one into the other. */
    public static int distance(String one, String other) {
        int[] row = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
