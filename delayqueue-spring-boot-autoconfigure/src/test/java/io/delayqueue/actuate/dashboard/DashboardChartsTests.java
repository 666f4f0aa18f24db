package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The charts of the page. */
class DashboardChartsTests extends DashboardScriptTest {

    @Test
    void sparklineOfTheSamePointsHasTheLabelAndLevelOfItsView() {
        JsonNode result = scripts.run("""
                const { sparkline } = await import('./charts.js');
                const points = [{ at: 1000, lagMillis: 2000 }];
                const overview = sparkline(points, 'lagMillis', 'Lag of orders', '');
                const topic = sparkline(points, 'lagMillis', 'Lag', 'bad');
                const again = sparkline(points, 'lagMillis', 'Lag of orders', '');
                const shown = ({ props }) => `${props['aria-label']}; ${props.class}`;
                return [shown(overview), shown(topic), again === overview];
                """);

        assertThat(result.get(0).asString()).isEqualTo("Lag of orders, last 10 minutes: now 2 s, at most 2 s; spark ");
        assertThat(result.get(1).asString()).isEqualTo("Lag, last 10 minutes: now 2 s, at most 2 s; spark bad");
        assertThat(result.get(2).asBoolean()).as("drawn once").isTrue();
    }

    @Test
    void eachValueIsDrawnFromBeforeThePageWasOpened() {
        JsonNode result = scripts.run("""
                const { sparkline } = await import('./charts.js');
                const history = await import('./history.js');
                const all = (number) =>
                    ({ scheduled: number, ready: number, leased: number, dead: number, lagMillis: number, failed: number,
                      sent: 60 * number, handled: 60 * number });
                const topic = {
                  topic: 't',
                  ...all(1),
                  attempts: { succeeded: 0, retried: 1, dead: 0 },
                  history: [{ at: '2030-01-01T00:00:00.000Z', ...all(9) }],
                };
                history.record([topic], Date.parse('2030-01-01T00:00:10.000Z'));
                return ['scheduled', 'ready', 'leased', 'dead', 'failed']
                    .map((field) => sparkline(history.of('t'), field, 'Value', '').props['aria-label']);
                """);

        assertThat(result.valueStream().map(JsonNode::asString))
                .hasSize(5)
                .containsOnly("Value, last 10 minutes: now 1, at most 9");
    }

    @Test
    void throughputOfAllTopicsIsTheirSum() {
        JsonNode result = scripts.run("""
                const history = await import('./history.js');
                const counts = { scheduled: 0, ready: 0, leased: 0, dead: 0, lagMillis: 0 };
                const sample = { at: '2030-01-01T00:00:00.000Z', ...counts, sent: 1, handled: 2, failed: 3 };
                const topic = (name, attempts, more) => ({
                  topic: name, ...counts, sent: 10, handled: 20, attempts, history: [sample], ...more
                });
                history.record([
                  topic('a', { succeeded: 1, retried: 2, dead: 3 }),
                  topic('b'),
                  topic('c', undefined, { problem: 'unknown' }),
                ], Date.parse('2030-01-01T00:00:10.000Z'));
                return history.total().map(({ sent, handled, failed }) => [sent, handled, failed].join(' '));
                """);

        assertThat(result.valueStream().map(JsonNode::asString)).containsExactly("3 6 9", "20 40 5");
    }

    @Test
    void allChartsEndAtTheSameTimeAndMarkTheSelectedOne() {
        JsonNode result = scripts.run("""
                const { sparkline, timeline } = await import('./charts.js');
                const history = await import('./history.js');
                const start = Date.parse('2030-01-01T00:00:00.000Z');
                history.record([], start + 600_000);
                const points = [0, 300_000].map((at) => ({ at: start + at, sent: 60, handled: 120 }));
                const paths = ({ children }) => children.filter(({ tag }) => tag === 'path').map(({ props }) => props);
                const spark = paths(sparkline(points, 'handled', 'Handled', '', start + 290_000));
                let chosen = null;
                const chart = timeline(points, { sent: 'sent' }, String, 'Sent', start, (at) => { chosen = at - start; });
                const bars = chart.children.find(({ tag }) => tag === 'svg');
                bars.props.onkeydown({ key: 'ArrowRight', preventDefault: () => {} });
                const end = ({ d }) => d.split(' ').at(-2);
                const of = (name) => end(spark.find((each) => each.class === name));
                return [of('spark-line'), of('spark-line sent'), spark.at(-1).d, end(paths(bars).at(-2)), paths(bars).at(-1).d, chosen,
                  bars.props['aria-valuetext'].split(': ').at(-1)];
                """);

        assertThat(result.valueStream().map(JsonNode::asString))
                .containsExactly("60", "60", "M 60 0 V 28", "500", "M 0 0 V 100", "300000", "60 sent");
    }
}
