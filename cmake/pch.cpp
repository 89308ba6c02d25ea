// Only to have the precompiled headers made.

int main() { return 0; }
