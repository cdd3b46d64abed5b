// Train classifiers of WEKA on the tables of a folder: java -cp weka.jar Weka.java FOLDER NAME COMMAND [NAME COMMAND ...]
// Of each table, FOLDER/TABLE/train.arff and test.arff are read, and FOLDER/TABLE/NAME.csv is written: the seconds of
// processor time that the training took, then a line with the probability of each class for each test row.

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.StringJoiner;
import weka.classifiers.Classifier;
import weka.core.Instances;
import weka.core.Utils;

public class Weka {
    public static void main(String[] arguments) throws Exception {
        File[] tables = new File(arguments[0]).listFiles(File::isDirectory);
        Arrays.sort(tables);
        for (int i = 1; i < arguments.length; i += 2) {
            train(arguments[i + 1], read(tables[0], "train.arff")); // so that the classes are loaded before the clock runs
            for (File table : tables) {
                try {
                    measure(table, arguments[i], arguments[i + 1]);
                } catch (Exception error) {
                    System.err.println(arguments[i] + " on " + table.getName() + ": " + error);
                }
            }
        }
    }

    static void measure(File table, String name, String command) throws Exception {
        Instances rows = read(table, "train.arff"), test = read(table, "test.arff");
        long started = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        Classifier model = train(command, rows);
        long took = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - started;
        StringJoiner lines = new StringJoiner("\n", took / 1e9 + "\n", "\n");
        for (int i = 0; i < test.numInstances(); i++) {
            StringJoiner line = new StringJoiner(",");
            for (double p : model.distributionForInstance(test.instance(i))) line.add(Double.toString(p));
            lines.add(line.toString());
        }
        try (PrintWriter out = new PrintWriter(new File(table, name + ".csv"))) {
            out.print(lines);
        }
    }

    static Classifier train(String command, Instances rows) throws Exception {
        String[] options = Utils.splitOptions(command);
        String type = options[0];
        options[0] = "";
        Classifier model = (Classifier) Utils.forName(Classifier.class, type, options);
        model.buildClassifier(rows);
        return model;
    }

    static Instances read(File table, String name) throws Exception {
        try (BufferedReader reader = new BufferedReader(new FileReader(new File(table, name)))) {
            Instances rows = new Instances(reader);
            rows.setClassIndex(rows.numAttributes() - 1);
            return rows;
        }
    }
}
