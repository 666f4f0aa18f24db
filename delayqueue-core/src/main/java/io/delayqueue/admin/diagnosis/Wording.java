package io.delayqueue.admin.diagnosis;

import io.delayqueue.message.Printable;
import java.time.Duration;
import java.util.Locale;

/** How findings state numbers, times and names. */
final class Wording {

    private Wording() {}

    static String host(String host, String node) {
        return Printable.of(host.isEmpty() ? node : host);
    }

    static String messages(long count, String how) {
        return counted(count, "message is ", "messages are ") + how;
    }

    static String rows(long count, String how) {
        return counted(count, "row is ", "rows are ") + how;
    }

    static String counted(long count, String one) {
        return counted(count, one, one + "s");
    }

    static String counted(long count, String one, String many) {
        return count(count) + ' ' + (count == 1 ? one : many);
    }

    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** The duration of a state. */
    static String span(Duration time) {
        if (time.toSeconds() < 1) {
            return "less than 1 s";
        }
        if (time.toMinutes() < 2) {
            return time.toSeconds() + " s";
        }
        if (time.toHours() < 2) {
            return time.toMinutes() + " min";
        }
        return time.toDays() < 2 ? time.toHours() + " h" : time.toDays() + " days";
    }
}
