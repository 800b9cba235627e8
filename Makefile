# Builds the engine as OpenBench does: `make EXE=name` in this folder, with a Rust toolchain only. The binary runs on every processor of
# this architecture. OpenBench's CC, CXX and EVALFILE have no effect.

EXE ?= sesame
ifeq ($(OS),Windows_NT)
    SUFFIX := .exe
endif
# Set explicitly, so that the location of the program does not depend on the user's configuration of cargo.
TARGET_DIR ?= $(or $(CARGO_TARGET_DIR),target)

.PHONY: all bench clean
all:
	cargo build --profile dist --locked --bin sesame --target-dir "$(TARGET_DIR)"
	cp "$(TARGET_DIR)/dist/sesame$(SUFFIX)" "$(EXE:.exe=)$(SUFFIX)"

bench: all
	"$(abspath $(EXE:.exe=)$(SUFFIX))" bench

clean:
	cargo clean --target-dir "$(TARGET_DIR)"
