package io.delayqueue.benchmark.report;

import io.delayqueue.benchmark.result.Party;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.AxesChartStyler.TextAlignment;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;

/** One diagram of a chart: numbers of parties by category. Not thread-safe. */
final class Panel {

    private static final Color LINES = new Color(0xD9D9D9);
    /** Space for the number above the highest bar. */
    private static final double HEADROOM = 1.1;

    private static final String FONT = Font.SANS_SERIF;

    private final CategoryChart chart;
    private final List<String> categories;
    private double greatest;

    private Panel(String title, String unit, List<String> categories, CategorySeriesRenderStyle kind) {
        this.categories = categories;
        this.chart = new CategoryChartBuilder().title(title).yAxisTitle(unit).build();
        CategoryStyler style = chart.getStyler();
        style.setDefaultSeriesRenderStyle(kind);
        style.setYAxisDecimalPattern("#,##0.###");
        style.setLabelsFont(new Font(FONT, Font.PLAIN, 11));
        style.setLabelsPosition(1.05);
        style.setChartBackgroundColor(Color.WHITE).setPlotBorderVisible(false);
        style.setChartTitleFont(new Font(FONT, Font.BOLD, 15)).setChartPadding(14);
        style.setLegendPosition(LegendPosition.OutsideS).setLegendLayout(LegendLayout.Horizontal);
        style.setLegendBorderColor(Color.WHITE).setLegendFont(new Font(FONT, Font.PLAIN, 12));
        style.setAxisTickLabelsFont(new Font(FONT, Font.PLAIN, 12));
        style.setAxisTitleFont(new Font(FONT, Font.PLAIN, 12));
        style.setPlotGridLinesColor(LINES).setPlotGridLinesStroke(new BasicStroke(1));
        style.setPlotGridVerticalLinesVisible(false);
        style.setYAxisLabelAlignment(TextAlignment.Right);
    }

    /**
     * Creates a panel with grouped bars per category, with numbers and a legend.
     *
     * @param numbers the number format, a pattern of {@link java.text.DecimalFormat}
     */
    static Panel ofBars(String title, String unit, List<String> categories, String numbers) {
        Panel panel = new Panel(title, unit, categories, CategorySeriesRenderStyle.Bar);
        CategoryStyler style = panel.chart.getStyler();
        style.setLabelsVisible(true).setAvailableSpaceFill(0.85);
        style.setYAxisMin(0.0).setYAxisDecimalPattern(numbers);
        return panel;
    }

    /** Creates a panel with one bar per category. The category names the party. */
    static Panel ofSingleBars(String title, String unit, List<String> categories, String numbers) {
        Panel panel = ofBars(title, unit, categories, numbers);
        panel.chart.getStyler().setOverlapped(true).setAvailableSpaceFill(0.6).setLegendVisible(false);
        return panel;
    }

    /** Creates a panel with lines over the categories and an axis from 0. */
    static Panel ofLines(String title, String unit, List<String> categories) {
        Panel panel = new Panel(title, unit, categories, CategorySeriesRenderStyle.Line);
        // Otherwise the parties would be drawn side by side like bars.
        panel.chart.getStyler().setOverlapped(true);
        panel.chart.getStyler().setYAxisMin(0.0);
        return panel;
    }

    /**
     * Creates a panel with lines over the categories and a logarithmic axis.
     *
     * @param least the minimum of the axis, greater than 0
     * @param most the maximum of the axis, greater than the minimum
     */
    static Panel ofLogarithmicLines(String title, String unit, List<String> categories, double least, double most) {
        Panel panel = ofLines(title, unit, categories);
        panel.chart.getStyler().setYAxisLogarithmic(true).setYAxisMin(least).setYAxisMax(most);
        return panel;
    }

    /** Labels the category axis. */
    Panel below(String title) {
        chart.setXAxisTitle(title);
        return this;
    }

    /** Adds the numbers of a party, one per category. Does nothing if the party has no numbers. */
    void add(Party party, List<@Nullable Double> numbers) {
        if (numbers.stream().noneMatch(Objects::nonNull)) {
            return;
        }
        PartyStyle look = PartyStyle.of(party);
        numbers.stream().filter(Objects::nonNull).forEach(number -> greatest = Math.max(greatest, number));
        CategorySeries series = chart.addSeries(party.title(), categories, numbers);
        series.setFillColor(look.color());
        series.setLineColor(look.color()).setLineStyle(look.stroke());
        series.setMarker(look.marker()).setMarkerColor(look.color());
    }

    /** Whether the panel has no numbers. */
    boolean isEmpty() {
        return chart.getSeriesCollection().isEmpty();
    }

    void paint(Graphics2D graphics, int width, int height) {
        CategoryStyler style = chart.getStyler();
        if (style.getYAxisMax() == null && greatest > 0) {
            style.setYAxisMax(greatest * HEADROOM);
        }
        chart.paint(graphics, width, height);
    }
}
