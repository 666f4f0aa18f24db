package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender.Item;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Payloads of 200 bytes that start with a number. */
final class Payloads {

    private static final int DIGITS = 8;
    private static final String FILLING = ", and whatever else an order needs to be cancelled in time".repeat(4);
    private static final int LENGTH = 200;

    private Payloads() {}

    static String of(int index) {
        String digits = Integer.toString(index);
        return "0".repeat(DIGITS - digits.length()) + digits + FILLING.substring(0, LENGTH - DIGITS);
    }

    static int indexOf(String payload) {
        return Integer.parseInt(payload, 0, DIGITS, 10);
    }

    static List<Item> items(int count, IntFunction<Instant> dueAt) {
        return items(0, count, dueAt);
    }

    static List<Item> items(int first, int count, IntFunction<Instant> dueAt) {
        List<Item> items = new ArrayList<>(count);
        for (int i = first; i < first + count; i++) {
            items.add(new Item(of(i), dueAt.apply(i)));
        }
        return items;
    }
}
