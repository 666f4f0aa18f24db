package io.delayqueue.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmark.result.Quantity;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Formatting of numbers. */
class NumbersTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "1234567.8; 1,234,568",
                "123.4; 123",
                "12.34; 12.3",
                "1.234; 1.23",
                "0.1234; 0.123",
                "0.0004; < 0.001",
                "-0.0004; > -0.001",
                "-12.34; -12.3",
                "4; 4",
                "0; 0",
                "-0.0; 0",
                "NaN; –",
                "Infinity; –"
            })
    void numbersHaveAboutThreeSignificantDigits(double number, String written) {
        assertThat(Numbers.plain(number)).isEqualTo(written);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"0.7312; 73.1 %", "-0.0001; 0.0 %", "-0.031; -3.1 %", "81.551; 8,155 %", "NaN; –"})
    void fractionsAreFormattedAsPercentages(double part, String written) {
        assertThat(Numbers.percent(part)).isEqualTo(written);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"0.182; +18.2 %", "0.0001; 0.0 %", "-0.031; -3.1 %", "NaN; –", "Infinity; –"})
    void changesHaveASign(double part, String written) {
        assertThat(Numbers.change(part)).isEqualTo(written);
    }

    @Test
    void factorsAreFormattedWithATimesSign() {
        assertThat(Numbers.times(2.414)).isEqualTo("2.41 ×");
        assertThat(Numbers.times(12.34)).isEqualTo("12.3 ×");
        assertThat(Numbers.times(Double.POSITIVE_INFINITY)).isEqualTo(Numbers.NONE);
    }

    @Test
    void unitsExceptPerSecondFollowAfterASpace() {
        assertThat(Numbers.withUnit(0.5, Quantity.P50)).isEqualTo("0.500 ms");
        assertThat(Numbers.limit(0.5, Quantity.P50)).isEqualTo("0.5 ms");
        assertThat(Numbers.withUnit(26_134, Quantity.RATE)).isEqualTo("26,134/s");
        assertThat(Numbers.withUnit(3, Quantity.EARLY)).isEqualTo("3");
    }

    @Test
    void formatIsIndependentOfTheLocale() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(Numbers.plain(1_234)).isEqualTo("1,234");
            assertThat(Numbers.limit(0.5, Quantity.P50)).isEqualTo("0.5 ms");
            assertThat(Numbers.percent(0.5)).isEqualTo("50.0 %");
            assertThat(Numbers.scheduled(10_000)).isEqualTo("10,000 scheduled");
        } finally {
            Locale.setDefault(before);
        }
    }
}
