// SystemC's library calls sc_main from a main that fuzz targets do not have.
extern "C" int sc_main(int, char**) { return 1; }
