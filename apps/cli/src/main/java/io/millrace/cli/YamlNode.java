// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * A part of a YAML file, with its line. All values are texts: no object is created from the file, and {@code yes} or
 * {@code 012} have no special meaning. A tag is ignored.
 *
 * @param file name of the file, for messages
 */
record YamlNode(String file, Node node) {

    /** Limits of a file. A longer file, or a deeper one, is a mistake or an attack. */
    private static final int MAX_CHARACTERS = 1 << 20;

    private static final int MAX_DEPTH = 20;

    private static final String BRACES = " Put a value that begins with a brace in quotes, as in key: '{id}'.";

    private static final Pattern OPEN_BRACES = Pattern.compile(":\\s+\\{[^{}:]*}\\s*[^\\s,}]");

    /**
     * Parses {@code text}.
     *
     * @throws UsageException if the text is not valid YAML, or has no content
     */
    static YamlNode parse(String file, String text) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file)
                .setCodePointLimit(MAX_CHARACTERS)
                .setMaxAliasesForCollections(MAX_DEPTH)
                .build();
        try {
            return new Compose(settings)
                    .composeString(text)
                    .map(node -> new YamlNode(file, node))
                    .orElseThrow(() -> new UsageException(file + " is empty. Give at least one job."));
        } catch (MarkedYamlEngineException wrong) {
            Optional<Integer> line = wrong.getProblemMark().map(mark -> mark.getLine() + 1);
            String hint = line.filter(number -> hasOpenBraces(text, number))
                    .map(number -> BRACES)
                    .orElse("");
            throw new UsageException(
                    file + line.map(number -> ":" + number).orElse("") + ": not valid YAML: " + wrong.getProblem() + "."
                            + hint,
                    wrong);
        } catch (YamlEngineException wrong) {
            throw new UsageException(file + ": not valid YAML: " + wrong.getMessage() + ".", wrong);
        }
    }

    /** Whether a value on the line begins with a brace and continues after the closing brace. */
    private static boolean hasOpenBraces(String text, int line) {
        return text.lines()
                .skip(line - 1)
                .findFirst()
                .filter(found -> OPEN_BRACES.matcher(found).find())
                .isPresent();
    }

    /** The file and the line, such as {@code jobs.yaml:12}. */
    String place() {
        return file
                + node.getStartMark().map(mark -> ":" + (mark.getLine() + 1)).orElse("");
    }

    /** The error for this part. */
    UsageException wrong(String sentence) {
        return new UsageException(place() + ": " + sentence);
    }

    /**
     * The members of a mapping by name, in their order. The key of an entry has the line of the name.
     *
     * @param what a noun for messages
     * @throws UsageException if this is no mapping, or if a name occurs twice
     */
    Map<String, Member> members(String what) {
        if (!(node instanceof MappingNode mapping)) {
            throw wrong(what + " must be a mapping: lines of the form 'name: value'.");
        }
        Map<String, Member> members = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            YamlNode name = new YamlNode(file, tuple.getKeyNode());
            Member member = new Member(name, new YamlNode(file, tuple.getValueNode()));
            if (members.put(name.text("a name"), member) != null) {
                throw name.wrong("'" + name.text("a name") + "' is given twice.");
            }
        }
        return members;
    }

    /** A member of a mapping. */
    record Member(YamlNode name, YamlNode value) {}

    /** The elements of a list. */
    List<YamlNode> elements() {
        List<YamlNode> elements = new ArrayList<>();
        if (node instanceof SequenceNode sequence) {
            sequence.getValue().forEach(element -> elements.add(new YamlNode(file, element)));
        }
        return elements;
    }

    boolean isList() {
        return node instanceof SequenceNode;
    }

    /**
     * The text of a single value.
     *
     * @param what a noun for messages
     * @throws UsageException if this is a mapping or a list
     */
    String text(String what) {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue();
        }
        throw wrong(what + " must be a single value."
                + (node instanceof MappingNode mapping && mapping.getFlowStyle() == FlowStyle.FLOW ? BRACES : ""));
    }
}
