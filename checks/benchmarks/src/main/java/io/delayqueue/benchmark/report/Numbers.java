package io.delayqueue.benchmark.report;

import io.delayqueue.benchmark.result.Quantity;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/** Formats numbers with about three significant digits and thousands separators, independent of the locale. */
final class Numbers {

    /** Placeholder for a missing measurement. */
    static final String NONE = "–";

    private static final double LEAST = 0.001;

    private Numbers() {}

    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    static String plain(double number) {
        if (!Double.isFinite(number)) {
            return NONE;
        }
        double size = Math.abs(number);
        if (size > 0 && size < LEAST) {
            return (number < 0 ? "> -" : "< ") + LEAST;
        }
        if (size >= 100 || number == Math.rint(number)) {
            // Handled separately, because -0.0 would be written with its sign.
            return String.format(Locale.ROOT, "%,.0f", number == 0 ? 0.0 : number);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", number);
    }

    /** Formats a measured number with its unit: {@code 26,134/s}, {@code 0.312 ms}. */
    static String withUnit(double number, Quantity quantity) {
        return plain(number) + unit(quantity);
    }

    /** Formats a limit with its unit, without padding to three digits: {@code 0.5 ms}. */
    static String limit(double number, Quantity quantity) {
        return new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(number)
                + unit(quantity);
    }

    /** Formats a fraction as a percentage: 0.731 is {@code 73.1 %}. */
    static String percent(double part) {
        // Rounded first, because a value slightly below 0 would be written as -0.
        double percent = Math.round(part * 1000) / 10.0;
        return Double.isFinite(part)
                ? String.format(Locale.ROOT, percent < 1000 ? "%,.1f %%" : "%,.0f %%", percent)
                : NONE;
    }

    /** Formats a change, given as a fraction, with its sign: 0.182 is {@code +18.2 %}. */
    static String change(double part) {
        return (Double.isFinite(part) && Math.round(part * 1000) > 0 ? "+" : "") + percent(part);
    }

    static String times(double factor) {
        return Double.isFinite(factor) ? String.format(Locale.ROOT, factor < 10 ? "%.2f ×" : "%,.1f ×", factor) : NONE;
    }

    /** Formats the number of scheduled messages for a heading. */
    static String scheduled(long count) {
        return count == 0 ? "nothing scheduled" : count(count) + " scheduled";
    }

    private static String unit(Quantity quantity) {
        String unit = quantity.unit();
        return unit.isEmpty() || unit.startsWith("/") ? unit : " " + unit;
    }
}
