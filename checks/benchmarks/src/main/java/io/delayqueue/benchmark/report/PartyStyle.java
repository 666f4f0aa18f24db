package io.delayqueue.benchmark.report;

import io.delayqueue.benchmark.result.Party;
import java.awt.BasicStroke;
import java.awt.Color;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * The colours, dashes and markers of a party in charts.
 *
 * <p>The colours are those of Okabe and Ito, which colour-blind readers can distinguish, and greys for the floors.
 * Clients have different dashes and all parties different markers, so that charts can be printed without colours.
 */
record PartyStyle(Color color, BasicStroke stroke, Marker marker) {

    private static final float WIDTH = 2.5f;

    static PartyStyle of(Party party) {
        return switch (party) {
            case PRODUCT -> solid(0x0072B2, SeriesMarkers.CIRCLE);
            case FLOOR_LETTUCE -> solid(0x555555, SeriesMarkers.SQUARE);
            case FLOOR_JEDIS -> dashed(0xAAAAAA, SeriesMarkers.TRIANGLE_UP);
            case REDISSON, REDISSON_POLLING -> solid(0xD55E00, SeriesMarkers.TRIANGLE_DOWN);
            case ORIGINAL -> dashed(0xD55E00, SeriesMarkers.TRIANGLE_DOWN);
            case BULLMQ -> solid(0xCC79A7, SeriesMarkers.PLUS);
            case JAVA -> solid(0x009E73, SeriesMarkers.CROSS);
            case LISTENER -> dashed(0x0072B2, SeriesMarkers.CIRCLE);
            case SPRING_BOOT, NO_MESSAGE -> solid(0x000000, SeriesMarkers.PLUS);
            case NO_OUTBOX -> dashed(0x0072B2, SeriesMarkers.SQUARE);
            case OUTBOX -> solid(0x0072B2, SeriesMarkers.DIAMOND);
            case OUTBOX_GIVEN_IDS -> solid(0x009E73, SeriesMarkers.DIAMOND);
        };
    }

    private static PartyStyle solid(int rgb, Marker marker) {
        return new PartyStyle(
                new Color(rgb), new BasicStroke(WIDTH, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND), marker);
    }

    private static PartyStyle dashed(int rgb, Marker marker) {
        float[] dashes = {8, 6};
        return new PartyStyle(
                new Color(rgb),
                new BasicStroke(WIDTH, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, dashes, 0),
                marker);
    }
}
