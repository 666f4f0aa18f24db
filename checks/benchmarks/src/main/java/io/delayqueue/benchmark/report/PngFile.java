package io.delayqueue.benchmark.report;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;

/**
 * A PNG file with panels in rows.
 *
 * @param path the file
 * @param columns the number of panels in a row, at least 1
 * @param width the width of a panel before it is scaled for printing
 * @param height the height of a panel before it is scaled
 */
record PngFile(Path path, int columns, int width, int height) {

    private static final int ENLARGED = 2;

    /**
     * Draws at least one panel and replaces an existing file.
     *
     * @throws IOException if the file cannot be written
     */
    void write(List<Panel> panels) throws IOException {
        int across = Math.min(columns, panels.size());
        int down = (panels.size() + across - 1) / across;
        BufferedImage image =
                new BufferedImage(across * width * ENLARGED, down * height * ENLARGED, BufferedImage.TYPE_INT_RGB);
        Graphics2D whole = image.createGraphics();
        whole.setColor(Color.WHITE);
        whole.fillRect(0, 0, image.getWidth(), image.getHeight());
        whole.scale(ENLARGED, ENLARGED);
        for (int index = 0; index < panels.size(); index++) {
            Graphics2D part = (Graphics2D) whole.create(index % across * width, index / across * height, width, height);
            panels.get(index).paint(part, width, height);
            part.dispose();
        }
        whole.dispose();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "png", bytes);
        Files.write(path, bytes.toByteArray());
    }
}
