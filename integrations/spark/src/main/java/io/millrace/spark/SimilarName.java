// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that the user has probably mistyped. */
final class SimilarName {

    private SimilarName() {}

    /**
     * The most similar of {@code names}: at most a third of the letters of {@code typed} differ, and at least one letter
     * may differ. Empty if no name is similar.
     */
    static Optional<String> of(String typed, Collection<String> names) {
        int limit = Math.max(1, typed.length() / 3);
        String lower = typed.toLowerCase(Locale.ROOT);
        return names.stream()
                .filter(name -> distance(lower, name.toLowerCase(Locale.ROOT)) <= limit)
                .min(Comparator.comparingInt(name -> distance(lower, name.toLowerCase(Locale.ROOT))));
    }

    /** The number of letters to insert, delete, replace or exchange with their neighbour, to get {@code b} from {@code a}. */
    private static int distance(String a, String b) {
        int[][] distances = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                distances[i][j] = i == 0 || j == 0 ? i + j : step(distances, a, b, i, j);
            }
        }
        return distances[a.length()][b.length()];
    }

    private static int step(int[][] distances, String a, String b, int i, int j) {
        int replaced = distances[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replaced, 1 + Math.min(distances[i - 1][j], distances[i][j - 1]));
        boolean exchanged = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return exchanged ? Math.min(least, distances[i - 2][j - 2] + 1) : least;
    }
}
